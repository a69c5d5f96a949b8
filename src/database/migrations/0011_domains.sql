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
CREATE TABLE `domain_routing` (
	`id` integer PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
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
INSERT INTO `domain_routing` (`id`, `revision`) VALUES (1, 0);--> statement-breakpoint
-- The routing table in memory is loaded again when the revision changes (domains/routing-table.ts), also by a cascade.
CREATE TRIGGER `domains_held` AFTER INSERT ON `domains` WHEN new.`holds_name` = 1
BEGIN UPDATE `domain_routing` SET `revision` = `revision` + 1; END;--> statement-breakpoint
CREATE TRIGGER `domains_rerouted` AFTER UPDATE OF `is_primary`, `redirect_status`, `hsts`, `holds_name`, `is_degraded` ON `domains`
WHEN new.`holds_name` <> old.`holds_name` OR (new.`holds_name` = 1 AND (new.`is_primary` <> old.`is_primary`
  OR new.`redirect_status` <> old.`redirect_status` OR new.`hsts` <> old.`hsts` OR new.`is_degraded` <> old.`is_degraded`))
BEGIN UPDATE `domain_routing` SET `revision` = `revision` + 1; END;--> statement-breakpoint
CREATE TRIGGER `domains_released` AFTER DELETE ON `domains` WHEN old.`holds_name` = 1
BEGIN UPDATE `domain_routing` SET `revision` = `revision` + 1; END;
