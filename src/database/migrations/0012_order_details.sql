CREATE TABLE `order_days` (
	`day` integer PRIMARY KEY NOT NULL,
	`placed` integer NOT NULL,
	`delivered` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `order_totals` (
	`account_id` integer NOT NULL,
	`status` text NOT NULL,
	`orders` integer NOT NULL,
	PRIMARY KEY(`account_id`, `status`)
);
--> statement-breakpoint
ALTER TABLE `orders` ADD `pet_name` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `note` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `approved_at` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `delivered_at` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `cancelled_at` integer;--> statement-breakpoint
CREATE INDEX `placed_orders_by_time` ON `orders` (`created_at`) WHERE status = 'placed';--> statement-breakpoint
-- Orders of an earlier version: what is known of them.
UPDATE `orders` SET
	`pet_name` = (SELECT `name` FROM `pets` WHERE `pets`.`id` = `orders`.`pet_id`),
	`approved_at` = CASE `status` WHEN 'approved' THEN `updated_at` END,
	`delivered_at` = CASE `status` WHEN 'delivered' THEN `updated_at` END,
	`cancelled_at` = CASE `status` WHEN 'cancelled' THEN `updated_at` END;--> statement-breakpoint
INSERT INTO `order_totals` SELECT `account_id`, `status`, count(*) FROM `orders` GROUP BY `account_id`, `status`;--> statement-breakpoint
INSERT INTO `order_totals` SELECT 0, `status`, count(*) FROM `orders` GROUP BY `status`;--> statement-breakpoint
INSERT INTO `order_days`
SELECT `day`, sum(`placed`), sum(`delivered`) FROM (
	SELECT `created_at` / 86400000 AS `day`, 1 AS `placed`, 0 AS `delivered` FROM `orders`
	UNION ALL SELECT `delivered_at` / 86400000, 0, 1 FROM `orders` WHERE `delivered_at` IS NOT NULL
) GROUP BY `day`;
