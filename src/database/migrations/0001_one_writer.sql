-- One process writes: it follows its own commits, and no longer needs a list of the changes of routing.
DROP TRIGGER `domains_held`;--> statement-breakpoint
DROP TRIGGER `domains_rerouted`;--> statement-breakpoint
DROP TRIGGER `domains_released`;--> statement-breakpoint
DROP TABLE `routing_changes`;--> statement-breakpoint
CREATE INDEX `domains_by_hostname` ON `domains` (`hostname`);
