CREATE TABLE `webhook_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`type` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`attempted_at` integer NOT NULL,
	`next_at` integer,
	`status` integer,
	`duration_ms` integer NOT NULL,
	`error` text,
	`response` text,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_by_event` ON `webhook_deliveries` (`webhook_id`,`event_id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_webhook` ON `webhook_deliveries` (`webhook_id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_state` ON `webhook_deliveries` (`webhook_id`,`state`);--> statement-breakpoint
CREATE INDEX `waiting_deliveries` ON `webhook_deliveries` (`webhook_id`,`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`url` text NOT NULL,
	`types` text NOT NULL,
	`orders` text NOT NULL,
	`description` text,
	`scopes` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_ends_at` integer,
	`position` integer NOT NULL,
	`failures` integer NOT NULL,
	`failing_since` integer,
	`last_delivery_id` integer,
	`disabled_at` integer,
	`held_since` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhooks_by_account` ON `webhooks` (`account_id`);