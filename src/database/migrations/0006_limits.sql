CREATE TABLE `limit_clock` (
	`id` integer PRIMARY KEY NOT NULL,
	`offset_ms` integer NOT NULL,
	`saved_at` integer NOT NULL
);
