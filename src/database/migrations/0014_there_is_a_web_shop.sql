CREATE TABLE `websites` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`tagline` text,
	`about` text,
	`imprint` text,
	`privacy` text,
	`address` text,
	`phone` text,
	`email` text,
	`hours` text,
	`language` text NOT NULL,
	`color` text NOT NULL,
	`shows` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
