-- A search reads the names of the animals, in windows of ids (decision 11).
DROP TABLE `pet_search`;
