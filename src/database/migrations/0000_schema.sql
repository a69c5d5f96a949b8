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
CREATE INDEX `audit_by_actor` ON `audit` (`actor`);--> statement-breakpoint
CREATE INDEX `audit_by_action` ON `audit` (`action`);--> statement-breakpoint
CREATE INDEX `audit_by_account` ON `audit` (`account_id`);--> statement-breakpoint
CREATE INDEX `audit_by_key` ON `audit` (`key_id`);--> statement-breakpoint
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
	`successor_id` integer,
	`last_used_at` integer,
	`banned_at` integer,
	`banned_until` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_sha256_unique` ON `keys` (`sha256`);--> statement-breakpoint
CREATE INDEX `keys_by_account` ON `keys` (`account_id`);--> statement-breakpoint
CREATE INDEX `unrevoked_keys_by_account` ON `keys` (`account_id`,`expires_at`) WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX `unrevoked_keys_by_expiry` ON `keys` (`expires_at`) WHERE revoked_at is null and expires_at is not null;--> statement-breakpoint
CREATE INDEX `keys_by_ban` ON `keys` (`banned_until`) WHERE banned_until is not null;--> statement-breakpoint
CREATE TABLE `limit_clock` (
	`id` integer PRIMARY KEY NOT NULL,
	`offset_ms` integer NOT NULL,
	`saved_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usage` (
	`account_id` integer NOT NULL,
	`day` integer NOT NULL,
	`requests` integer NOT NULL,
	PRIMARY KEY(`account_id`, `day`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `usage_days` (
	`day` integer PRIMARY KEY NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	`rejected` integer DEFAULT 0 NOT NULL
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
CREATE TABLE `readiness_probe` (
	`id` integer PRIMARY KEY NOT NULL,
	`probed_at` integer NOT NULL,
	`ballast` blob
);
--> statement-breakpoint
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
--> statement-breakpoint
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
CREATE TABLE `domain_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`hostname` text NOT NULL,
	`at` integer NOT NULL,
	`type` text NOT NULL,
	`message` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `domain_events_by_domain` ON `domain_events` (`project_id`,`hostname`,`id`);--> statement-breakpoint
CREATE TABLE `domains` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`hostname` text NOT NULL,
	`is_primary` integer NOT NULL,
	`redirect_status` integer NOT NULL,
	`hsts` integer NOT NULL,
	`holds_name` integer NOT NULL,
	`dns_status` text NOT NULL,
	`failure` text,
	`checked_at` integer,
	`next_check_at` integer,
	`waited_ms` integer NOT NULL,
	`verified_at` integer,
	`drifted_at` integer,
	`is_degraded` integer NOT NULL,
	`zone` text NOT NULL,
	`findings` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `domains_by_project` ON `domains` (`project_id`,`hostname`);--> statement-breakpoint
CREATE UNIQUE INDEX `domains_by_holder` ON `domains` (`hostname`) WHERE holds_name = 1;--> statement-breakpoint
CREATE INDEX `domains_by_next_check` ON `domains` (`next_check_at`);--> statement-breakpoint
CREATE INDEX `domains_by_dns_status` ON `domains` (`dns_status`);--> statement-breakpoint
CREATE TABLE `held_names` (
	`hostname` text NOT NULL,
	`account_id` integer NOT NULL,
	`held_at` integer NOT NULL,
	PRIMARY KEY(`hostname`, `account_id`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `ownership_tokens` (
	`account_id` integer PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `routing_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hostname` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `project_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `project_slugs_by_account` ON `project_slugs` (`account_id`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`cname_token` text NOT NULL,
	`live_deploy_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`slug`) REFERENCES `project_slugs`(`slug`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_by_slug` ON `projects` (`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `projects_by_cname_token` ON `projects` (`cname_token`);--> statement-breakpoint
CREATE INDEX `projects_by_account` ON `projects` (`account_id`);--> statement-breakpoint
CREATE TABLE `hosting_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`options` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`folded_name` text NOT NULL,
	`import_id` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_folded_name_unique` ON `categories` (`folded_name`);--> statement-breakpoint
CREATE INDEX `categories_by_import` ON `categories` (`import_id`);--> statement-breakpoint
CREATE TABLE `changed_imported_pets` (
	`pet_id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at` integer NOT NULL,
	`file_name` text,
	`sha256` blob NOT NULL,
	`imported` integer NOT NULL,
	`skipped` integer NOT NULL,
	`first_pet_id` integer,
	`last_pet_id` integer,
	`completed_at` integer,
	`undoing_at` integer,
	`undone_at` integer
);
--> statement-breakpoint
CREATE INDEX `imports_by_content` ON `imports` (`sha256`);--> statement-breakpoint
CREATE UNIQUE INDEX `imports_by_first_pet` ON `imports` (`first_pet_id`);--> statement-breakpoint
CREATE INDEX `unfinished_imports` ON `imports` (`id`) WHERE completed_at is null;--> statement-breakpoint
CREATE INDEX `undoing_imports` ON `imports` (`id`) WHERE undoing_at is not null;--> statement-breakpoint
CREATE TABLE `order_days` (
	`day` integer PRIMARY KEY NOT NULL,
	`placed` integer NOT NULL,
	`delivered` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `order_totals` (
	`account_id` integer NOT NULL,
	`status` text NOT NULL,
	`orders` integer NOT NULL,
	PRIMARY KEY(`account_id`, `status`)
);
--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`pet_id` integer NOT NULL,
	`status` text NOT NULL,
	`ship_date` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`pet_name` text NOT NULL,
	`note` text,
	`approved_at` integer,
	`delivered_at` integer,
	`cancelled_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `orders_by_account` ON `orders` (`account_id`);--> statement-breakpoint
CREATE INDEX `orders_by_account_and_status` ON `orders` (`account_id`,`status`);--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`status`);--> statement-breakpoint
CREATE INDEX `orders_by_pet` ON `orders` (`pet_id`);--> statement-breakpoint
CREATE INDEX `orders_by_pet_and_status` ON `orders` (`pet_id`,`status`);--> statement-breakpoint
CREATE UNIQUE INDEX `open_orders_by_pet` ON `orders` (`pet_id`) WHERE status in ('placed', 'approved');--> statement-breakpoint
CREATE INDEX `placed_orders_by_time` ON `orders` (`created_at`) WHERE status = 'placed';--> statement-breakpoint
CREATE TABLE `deleted_pets` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`category_id` integer NOT NULL,
	`status` text NOT NULL,
	`deleted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deleted_pets_by_time` ON `deleted_pets` (`deleted_at`);--> statement-breakpoint
CREATE TABLE `pet_totals` (
	`category_id` integer NOT NULL,
	`status` text NOT NULL,
	`animals` integer NOT NULL,
	PRIMARY KEY(`category_id`, `status`)
);
--> statement-breakpoint
CREATE TABLE `pets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`folded_name` text NOT NULL,
	`category_id` integer NOT NULL,
	`status` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pets_by_status` ON `pets` (`status`);--> statement-breakpoint
CREATE INDEX `pets_by_category_and_status` ON `pets` (`category_id`,`status`);--> statement-breakpoint
-- What drizzle has no words for, like WITHOUT ROWID above: the search index, triggers, and the rows that every store has.
-- Trigrams of the folded names (shop/pets/name-index.ts); it keeps no copy of them.
CREATE VIRTUAL TABLE `pet_search` USING fts5(folded_name, content='pets', content_rowid='id', columnsize=0, detail=none, tokenize='trigram case_sensitive 1');--> statement-breakpoint
-- FTS5 merges a number of pages in the commit of a change: small ones keep it short. It would merge sixteen segments of any size at once (decision 11).
INSERT INTO `pet_search` (`pet_search`, `rank`) VALUES ('pgsz', 1000);--> statement-breakpoint
INSERT INTO `pet_search` (`pet_search`, `rank`) VALUES ('crisismerge', 1000);--> statement-breakpoint
-- The requests of each day, without those of the dashboard.
CREATE TRIGGER `usage_added` AFTER INSERT ON `usage` WHEN NEW.`account_id` > 0 BEGIN
	INSERT INTO `usage_days` (`day`, `requests`) VALUES (NEW.`day`, NEW.`requests`)
	ON CONFLICT (`day`) DO UPDATE SET `requests` = `requests` + excluded.`requests`;
END;--> statement-breakpoint
CREATE TRIGGER `usage_changed` AFTER UPDATE OF `requests` ON `usage` WHEN NEW.`account_id` > 0 BEGIN
	UPDATE `usage_days` SET `requests` = `requests` + NEW.`requests` - OLD.`requests` WHERE `day` = NEW.`day`;
END;--> statement-breakpoint
-- The routing table in memory reads these changes (hosting/domains/routing-table.ts); the triggers also see a cascade.
CREATE TRIGGER `domains_held` AFTER INSERT ON `domains` WHEN new.`holds_name` = 1
BEGIN INSERT INTO `routing_changes` (`hostname`) VALUES (new.`hostname`); END;--> statement-breakpoint
CREATE TRIGGER `domains_rerouted` AFTER UPDATE OF `is_primary`, `redirect_status`, `hsts`, `holds_name`, `is_degraded` ON `domains`
WHEN new.`holds_name` <> old.`holds_name` OR (new.`holds_name` = 1 AND (new.`is_primary` <> old.`is_primary`
  OR new.`redirect_status` <> old.`redirect_status` OR new.`hsts` <> old.`hsts` OR new.`is_degraded` <> old.`is_degraded`))
BEGIN INSERT INTO `routing_changes` (`hostname`) VALUES (new.`hostname`); END;--> statement-breakpoint
CREATE TRIGGER `domains_released` AFTER DELETE ON `domains` WHEN old.`holds_name` = 1
BEGIN INSERT INTO `routing_changes` (`hostname`) VALUES (old.`hostname`); END;--> statement-breakpoint
CREATE TRIGGER `routing_changes_kept` AFTER INSERT ON `routing_changes`
BEGIN DELETE FROM `routing_changes` WHERE `id` <= new.`id` - 1000; END;--> statement-breakpoint
INSERT INTO `categories` (`id`, `name`, `folded_name`) VALUES
	(1, 'Dog', 'dog'),
	(2, 'Cat', 'cat'),
	(3, 'Bird', 'bird'),
	(4, 'Fish', 'fish'),
	(5, 'Reptile', 'reptile'),
	(6, 'Small animal', 'small animal');--> statement-breakpoint
INSERT INTO `installation` (`id`, `cookie_id`) VALUES (1, lower(hex(randomblob(8))));--> statement-breakpoint
INSERT INTO `accounts` (`id`, `name`, `plan`, `per_minute`, `per_day`, `created_at`) VALUES (0, 'Dashboard', 'enterprise', 6000, 1000000, 0);
