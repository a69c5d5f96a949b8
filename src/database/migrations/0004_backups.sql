CREATE TABLE `backup_results` (
	`kind` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`name` text,
	`error` text,
	`failing_since` integer
);
--> statement-breakpoint
CREATE TABLE `backup_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` text,
	`keep` text
);
