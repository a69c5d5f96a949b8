-- The tokens of names with letters such as ł and ø have changed (lib/text.ts): the index is built anew, in steps, while the server runs.
INSERT INTO `pet_search` (`pet_search`) VALUES ('delete-all');--> statement-breakpoint
UPDATE `pet_progress` SET `last_pet_id` = 0 WHERE `id` = 1;
