CREATE TABLE `accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`per_minute` integer,
	`per_day` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`account_id` integer NOT NULL,
	`key_id` integer,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`folded_name` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_folded_name_unique` ON `categories` (`folded_name`);--> statement-breakpoint
CREATE TABLE `readiness_probe` (
	`id` integer PRIMARY KEY NOT NULL,
	`probed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`sha256` blob NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	`banned_at` integer,
	`banned_until` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_sha256_unique` ON `keys` (`sha256`);--> statement-breakpoint
CREATE INDEX `keys_by_account` ON `keys` (`account_id`);--> statement-breakpoint
CREATE TABLE `usage` (
	`account_id` integer NOT NULL,
	`day` integer NOT NULL,
	`requests` integer NOT NULL,
	PRIMARY KEY(`account_id`, `day`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `window_seconds` (
	`account_id` integer NOT NULL,
	`second` integer NOT NULL,
	`requests` integer NOT NULL,
	PRIMARY KEY(`account_id`, `second`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `pets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`category_id` integer NOT NULL,
	`status` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pets_by_status` ON `pets` (`status`);--> statement-breakpoint
CREATE INDEX `pets_by_category` ON `pets` (`category_id`);--> statement-breakpoint
CREATE INDEX `pets_by_category_and_status` ON `pets` (`category_id`,`status`);--> statement-breakpoint
INSERT INTO `categories` (`id`, `name`, `folded_name`) VALUES
	(1, 'Dog', 'dog'),
	(2, 'Cat', 'cat'),
	(3, 'Bird', 'bird'),
	(4, 'Fish', 'fish'),
	(5, 'Reptile', 'reptile'),
	(6, 'Small animal', 'small animal');
