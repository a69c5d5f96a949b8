CREATE TABLE `import_changes` (
	`import_id` integer NOT NULL,
	`pet_id` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`previous` text NOT NULL,
	`values` text NOT NULL,
	PRIMARY KEY(`import_id`, `pet_id`)
);
--> statement-breakpoint
CREATE INDEX `import_changes_by_time` ON `import_changes` (`changed_at`);--> statement-breakpoint
ALTER TABLE `imports` ADD `changed` integer DEFAULT 0 NOT NULL;