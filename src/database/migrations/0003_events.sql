CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	`account_id` integer,
	`request_id` text,
	`data` text NOT NULL,
	`previous` text,
	`number` integer NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `keys` ADD `told_expiry` integer;