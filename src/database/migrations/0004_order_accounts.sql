-- Orders belong to an account; those from before belong to the account "Store", which is opened if there is none.
INSERT INTO `accounts` (`name`, `plan`, `created_at`)
SELECT 'Store', 'business', unixepoch() * 1000
WHERE EXISTS (SELECT 1 FROM `orders`) AND NOT EXISTS (SELECT 1 FROM `accounts` WHERE `name` = 'Store');--> statement-breakpoint
CREATE TABLE `orders_with_account` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`pet_id` integer NOT NULL,
	`status` text NOT NULL,
	`ship_date` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);--> statement-breakpoint
INSERT INTO `orders_with_account`
SELECT `id`, (SELECT min(`id`) FROM `accounts` WHERE `name` = 'Store'), `pet_id`, `status`, `ship_date`, `created_at`, `updated_at`
FROM `orders` ORDER BY `id`;--> statement-breakpoint
DROP TABLE `orders`;--> statement-breakpoint
ALTER TABLE `orders_with_account` RENAME TO `orders`;--> statement-breakpoint
CREATE INDEX `orders_by_account` ON `orders` (`account_id`);--> statement-breakpoint
CREATE INDEX `orders_by_account_and_status` ON `orders` (`account_id`,`status`);--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`status`);--> statement-breakpoint
CREATE INDEX `orders_by_pet` ON `orders` (`pet_id`);--> statement-breakpoint
CREATE INDEX `orders_by_pet_and_status` ON `orders` (`pet_id`,`status`);--> statement-breakpoint
CREATE UNIQUE INDEX `open_orders_by_pet` ON `orders` (`pet_id`) WHERE status in ('placed', 'approved');--> statement-breakpoint
UPDATE `audit` SET `actor` = 'command' WHERE `actor` = 'cli';
