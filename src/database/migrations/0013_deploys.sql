CREATE TABLE `account_contents` (
	`account_id` integer NOT NULL,
	`hash` blob NOT NULL,
	`size` integer NOT NULL,
	`uses` integer NOT NULL,
	PRIMARY KEY(`account_id`, `hash`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `account_contents_by_hash` ON `account_contents` (`hash`);--> statement-breakpoint
CREATE TABLE `account_storage` (
	`account_id` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `content_encodings` (
	`hash` blob PRIMARY KEY NOT NULL,
	`br` blob,
	`br_size` integer,
	`gzip` blob,
	`gzip_size` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `content_encodings_by_br` ON `content_encodings` (`br`);--> statement-breakpoint
CREATE INDEX `content_encodings_by_gzip` ON `content_encodings` (`gzip`);--> statement-breakpoint
CREATE TABLE `deploy_files` (
	`deploy_id` integer NOT NULL,
	`path` text NOT NULL,
	`hash` blob NOT NULL,
	`size` integer NOT NULL,
	`modified_at` integer NOT NULL,
	PRIMARY KEY(`deploy_id`, `path`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `deploys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`file_count` integer NOT NULL,
	`bytes` integer NOT NULL,
	`live_order` integer,
	`live_at` integer,
	`promoted_at` integer,
	`compressed_at` integer
);
--> statement-breakpoint
CREATE INDEX `deploys_by_project` ON `deploys` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `deploys_by_live_order` ON `deploys` (`live_order`);--> statement-breakpoint
CREATE INDEX `deploys_by_account` ON `deploys` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `deploys_by_state` ON `deploys` (`state`,`id`);--> statement-breakpoint
ALTER TABLE `projects` ADD `live_deploy_id` integer;--> statement-breakpoint
CREATE INDEX `project_slugs_by_account` ON `project_slugs` (`account_id`);