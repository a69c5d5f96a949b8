CREATE TABLE `idempotent_answers` (
	`account_id` integer NOT NULL,
	`key` text NOT NULL,
	`request` blob NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`etag` text,
	`location` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotent_answers_by_age` ON `idempotent_answers` (`created_at`);--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`pet_id` integer NOT NULL,
	`status` text NOT NULL,
	`ship_date` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`status`);--> statement-breakpoint
CREATE INDEX `orders_by_pet` ON `orders` (`pet_id`);--> statement-breakpoint
CREATE INDEX `orders_by_pet_and_status` ON `orders` (`pet_id`,`status`);--> statement-breakpoint
CREATE UNIQUE INDEX `open_orders_by_pet` ON `orders` (`pet_id`) WHERE status in ('placed', 'approved');--> statement-breakpoint
CREATE TABLE `pet_progress` (
	`id` integer PRIMARY KEY NOT NULL,
	`last_pet_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pet_totals` (
	`category_id` integer NOT NULL,
	`status` text NOT NULL,
	`animals` integer NOT NULL,
	PRIMARY KEY(`category_id`, `status`)
);
--> statement-breakpoint
INSERT INTO `pet_progress` (`id`, `last_pet_id`) VALUES (1, 0);--> statement-breakpoint
-- Parts of names of one to three characters, made by pets/search.ts; holds no text of its own.
CREATE VIRTUAL TABLE `pet_search` USING fts5(parts, content='', contentless_delete=1, detail=none, tokenize='ascii');
