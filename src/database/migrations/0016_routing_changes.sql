CREATE TABLE `routing_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hostname` text NOT NULL
);
--> statement-breakpoint
DROP TABLE `domain_routing`;--> statement-breakpoint
CREATE INDEX `domains_by_dns_status` ON `domains` (`dns_status`);--> statement-breakpoint
-- The routing table in memory reads these changes (domains/routing-table.ts); the triggers also see a cascade.
DROP TRIGGER `domains_held`;--> statement-breakpoint
DROP TRIGGER `domains_rerouted`;--> statement-breakpoint
DROP TRIGGER `domains_released`;--> statement-breakpoint
CREATE TRIGGER `domains_held` AFTER INSERT ON `domains` WHEN new.`holds_name` = 1
BEGIN INSERT INTO `routing_changes` (`hostname`) VALUES (new.`hostname`); END;--> statement-breakpoint
CREATE TRIGGER `domains_rerouted` AFTER UPDATE OF `is_primary`, `redirect_status`, `hsts`, `holds_name`, `is_degraded` ON `domains`
WHEN new.`holds_name` <> old.`holds_name` OR (new.`holds_name` = 1 AND (new.`is_primary` <> old.`is_primary`
  OR new.`redirect_status` <> old.`redirect_status` OR new.`hsts` <> old.`hsts` OR new.`is_degraded` <> old.`is_degraded`))
BEGIN INSERT INTO `routing_changes` (`hostname`) VALUES (new.`hostname`); END;--> statement-breakpoint
CREATE TRIGGER `domains_released` AFTER DELETE ON `domains` WHEN old.`holds_name` = 1
BEGIN INSERT INTO `routing_changes` (`hostname`) VALUES (old.`hostname`); END;--> statement-breakpoint
CREATE TRIGGER `routing_changes_kept` AFTER INSERT ON `routing_changes`
BEGIN DELETE FROM `routing_changes` WHERE `id` <= new.`id` - 1000; END;
