-- SQLite sorts the names when a page of them is read (decision 11).
DROP INDEX `pets_by_name`;
