-- Turns bytes into text. Different bytes give different text. The text has a binary collation without padding, which
-- has different names in MariaDB and MySQL. MySQL before 8.0.17 only has a binary collation that ignores trailing
-- blanks. Bytes that are not UTF-8 are shown as Latin-1 with U+FFFD after them, and so are the few names that end in
-- U+FFFD.
(CASE WHEN CONVERT(CONVERT({column} USING utf8mb4) USING binary) <=> {column}
		AND RIGHT({column}, 3) <> X'efbfbd'
	THEN CONVERT({column} USING utf8mb4)
	ELSE CONCAT(CONVERT(CONVERT({column} USING latin1) USING utf8mb4), CONVERT(X'efbfbd' USING utf8mb4))
	END /*M!100202 COLLATE utf8mb4_nopad_bin */ /*!50707 COLLATE utf8mb4_bin */ /*!80017 COLLATE utf8mb4_0900_bin */)
