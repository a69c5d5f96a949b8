CREATE TABLE `changed_imported_pets` (
	`pet_id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at` integer NOT NULL,
	`file_name` text,
	`sha256` blob NOT NULL,
	`imported` integer NOT NULL,
	`skipped` integer NOT NULL,
	`first_pet_id` integer,
	`last_pet_id` integer,
	`undone_at` integer
);
--> statement-breakpoint
CREATE INDEX `imports_by_content` ON `imports` (`sha256`);--> statement-breakpoint
CREATE UNIQUE INDEX `imports_by_first_pet` ON `imports` (`first_pet_id`);--> statement-breakpoint
ALTER TABLE `categories` ADD `import_id` integer;--> statement-breakpoint
CREATE INDEX `categories_by_import` ON `categories` (`import_id`);--> statement-breakpoint
-- The totals get a progress of their own, at the end: only animals of the last moments are ever beyond it.
INSERT INTO `pet_totals` (`category_id`, `status`, `animals`)
SELECT `category_id`, `status`, count(*) FROM `pets`
WHERE `id` > (SELECT `last_pet_id` FROM `pet_progress` WHERE `id` = 1) GROUP BY +`category_id`, +`status`
UNION ALL
SELECT 0, `status`, count(*) FROM `pets`
WHERE `id` > (SELECT `last_pet_id` FROM `pet_progress` WHERE `id` = 1) GROUP BY +`status`
ON CONFLICT (`category_id`, `status`) DO UPDATE SET `animals` = `animals` + excluded.`animals`;--> statement-breakpoint
INSERT INTO `pet_progress` (`id`, `last_pet_id`)
SELECT 2, max(coalesce((SELECT max(`id`) FROM `pets`), 0), `last_pet_id`) FROM `pet_progress` WHERE `id` = 1;--> statement-breakpoint
-- The tokens have changed (pets/search/tokens.ts): the index is built anew, in steps, while the server runs.
DROP TABLE `pet_search`;--> statement-breakpoint
CREATE VIRTUAL TABLE `pet_search` USING fts5(parts, content='', contentless_delete=1, detail=none, tokenize='ascii');--> statement-breakpoint
-- Segments are merged in short steps (pets/search/pet-index.ts), not in the commits of those who write.
INSERT INTO `pet_search` (`pet_search`, `rank`) VALUES ('automerge', 0);--> statement-breakpoint
INSERT INTO `pet_search` (`pet_search`, `rank`) VALUES ('crisismerge', 32);--> statement-breakpoint
UPDATE `pet_progress` SET `last_pet_id` = 0 WHERE `id` = 1;
