CREATE TABLE `installation` (
	`id` integer PRIMARY KEY NOT NULL,
	`cookie_id` text NOT NULL,
	`account_id` integer,
	`dashboard_url` text,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `owner` (
	`id` integer PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`password_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`password_changed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `owner_browsers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sha256` blob NOT NULL,
	`signed_in_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `owner_browsers_sha256_unique` ON `owner_browsers` (`sha256`);--> statement-breakpoint
CREATE TABLE `owner_sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sha256` blob NOT NULL,
	`created_at` integer NOT NULL,
	`last_active_at` integer NOT NULL,
	`user_agent` text NOT NULL,
	`network` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `owner_sessions_sha256_unique` ON `owner_sessions` (`sha256`);--> statement-breakpoint
CREATE TABLE `setup_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sha256` blob NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `setup_links_sha256_unique` ON `setup_links` (`sha256`);--> statement-breakpoint
INSERT INTO `installation` (`id`, `cookie_id`) VALUES (1, lower(hex(randomblob(8))));--> statement-breakpoint
INSERT INTO `accounts` (`id`, `name`, `plan`, `per_minute`, `per_day`, `created_at`) VALUES (0, 'Dashboard', 'enterprise', 6000, 1000000, 0);
