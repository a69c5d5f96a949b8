CREATE TABLE `pet_photos` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`pet_id` integer NOT NULL,
	`position` integer NOT NULL,
	`alt` text,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pet_photos_by_pet` ON `pet_photos` (`pet_id`,`position`);--> statement-breakpoint
CREATE TABLE `photo_files` (
	`photo_id` integer NOT NULL,
	`size` text NOT NULL,
	`hash` blob NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`photo_id`, `size`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `photo_files_by_hash` ON `photo_files` (`hash`);