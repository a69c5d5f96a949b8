CREATE TABLE `mail_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`smtp` text NOT NULL,
	`sender` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mails` (
	`kind` text PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`failures` integer NOT NULL,
	`next_at` integer,
	`sent_at` integer,
	`error` text
);
--> statement-breakpoint
ALTER TABLE `installation` ADD `restored_at` integer;