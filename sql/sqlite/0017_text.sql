-- Version 17: the sketch of a text is made of its normal form, in which each run of white space is one blank. The
-- size and the hash of the normal form follow the sketch, as 16 bytes. Old and new sketches of texts cannot be
-- compared, and a row does not show whether its content is a text. So this script removes all sketches, except for
-- contents of fewer than 16 bytes. The next run of simhash makes them again.

UPDATE file SET resemblance_sketch = NULL WHERE size >= 16;
