-- Version 17: texts are sketched without their white space, and 16 bytes follow the sketch of a text. Sketches of
-- earlier versions cannot be compared with these, and rows do not say which of them are of texts. So they are removed,
-- except for contents without a shingle, and the next run of simhash makes them again. Each statement can be run again.

ALTER TABLE file MODIFY COLUMN resemblance_sketch VARBINARY(144);

UPDATE file SET resemblance_sketch = NULL WHERE size >= 16;
