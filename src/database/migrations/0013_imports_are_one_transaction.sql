-- Removes what unfinished imports have added, and finishes undos that have begun: animals that were changed or ordered
-- since then stay.
CREATE TABLE `left_pets` AS
SELECT `pets`.`id`, `pets`.`category_id`, `pets`.`status` FROM `imports`
JOIN `pets` ON `pets`.`id` BETWEEN `first_pet_id` AND `last_pet_id`
WHERE (`completed_at` IS NULL OR `undoing_at` IS NOT NULL) AND `undone_at` IS NULL
AND NOT EXISTS (SELECT 1 FROM `orders` WHERE `pet_id` = `pets`.`id`)
AND NOT EXISTS (SELECT 1 FROM `changed_imported_pets` WHERE `pet_id` = `pets`.`id`);
--> statement-breakpoint
UPDATE `pet_totals` SET `animals` = `animals` - (
	SELECT count(*) FROM `left_pets`
	WHERE `left_pets`.`status` = `pet_totals`.`status` AND `pet_totals`.`category_id` IN (0, `left_pets`.`category_id`)
);
--> statement-breakpoint
DELETE FROM `pets` WHERE `id` IN (SELECT `id` FROM `left_pets`);--> statement-breakpoint
DELETE FROM `categories` WHERE `import_id` IN (
	SELECT `id` FROM `imports` WHERE (`completed_at` IS NULL OR `undoing_at` IS NOT NULL) AND `undone_at` IS NULL
) AND NOT EXISTS (SELECT 1 FROM `pets` WHERE `category_id` = `categories`.`id`);
--> statement-breakpoint
DELETE FROM `imports` WHERE `completed_at` IS NULL
AND NOT EXISTS (SELECT 1 FROM `pets` WHERE `pets`.`id` BETWEEN `first_pet_id` AND `last_pet_id`);
--> statement-breakpoint
UPDATE `imports` SET `undone_at` = coalesce(`undoing_at`, `created_at`)
WHERE (`completed_at` IS NULL OR `undoing_at` IS NOT NULL) AND `undone_at` IS NULL;
--> statement-breakpoint
DROP TABLE `left_pets`;--> statement-breakpoint
DROP INDEX `unfinished_imports`;--> statement-breakpoint
DROP INDEX `undoing_imports`;--> statement-breakpoint
ALTER TABLE `imports` DROP COLUMN `completed_at`;--> statement-breakpoint
ALTER TABLE `imports` DROP COLUMN `undoing_at`;