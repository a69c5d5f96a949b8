CREATE TABLE `acme_accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`directory` text NOT NULL,
	`file` text NOT NULL,
	`url` text,
	`email` text,
	`terms_of_service` text,
	`caa_identities` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `acme_accounts_by_directory` ON `acme_accounts` (`directory`);--> statement-breakpoint
CREATE TABLE `certificate_limits` (
	`directory` text NOT NULL,
	`domain` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`message` text NOT NULL,
	PRIMARY KEY(`directory`, `domain`)
);
--> statement-breakpoint
CREATE TABLE `certificate_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hostname` text NOT NULL,
	`acme_account_id` integer NOT NULL,
	`state` text NOT NULL,
	`url` text,
	`token` text,
	`key_authorization` text,
	`file` text,
	`replaces` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`acme_account_id`) REFERENCES `acme_accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `certificate_orders_by_hostname` ON `certificate_orders` (`hostname`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `certificate_orders_open` ON `certificate_orders` (`hostname`) WHERE "state" NOT IN ('installed', 'failed', 'cancelled');--> statement-breakpoint
CREATE INDEX `certificate_orders_by_token` ON `certificate_orders` (`token`);--> statement-breakpoint
CREATE TABLE `certificates` (
	`hostname` text PRIMARY KEY NOT NULL,
	`account_id` integer,
	`kind` text NOT NULL,
	`wanted_at` integer NOT NULL,
	`removed_at` integer,
	`file` text,
	`directory` text,
	`renewal_id` text,
	`not_before` integer,
	`not_after` integer,
	`installed_at` integer,
	`renew_at` integer,
	`renewal_check_at` integer,
	`renewal_window` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`problem` text,
	`failed_at` integer,
	`next_attempt_at` integer,
	`rate_limited_until` integer,
	`blocked_by` text
);
