-- The numbers of the whole store stand under category 0, which no animal can have.
INSERT INTO `pet_totals` (`category_id`, `status`, `animals`)
SELECT 0, `status`, sum(`animals`) FROM `pet_totals` GROUP BY `status`;--> statement-breakpoint
DELETE FROM `pet_totals` WHERE `animals` = 0;
