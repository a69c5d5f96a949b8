-- The tokens have changed (pets/search/tokens.ts): the index is built anew, in steps, while the server runs.
DROP TABLE `pet_search`;--> statement-breakpoint
CREATE VIRTUAL TABLE `pet_search` USING fts5(parts, content='', contentless_delete=1, detail=none, tokenize='ascii');--> statement-breakpoint
INSERT INTO `pet_search` (`pet_search`, `rank`) VALUES ('automerge', 0);--> statement-breakpoint
INSERT INTO `pet_search` (`pet_search`, `rank`) VALUES ('crisismerge', 32);--> statement-breakpoint
UPDATE `pet_progress` SET `last_pet_id` = 0 WHERE `id` = 1;
