CREATE TABLE `hosting_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`options` text NOT NULL
);
