CREATE TABLE `pet_profiles` (
	`pet_id` integer PRIMARY KEY NOT NULL,
	`number` text,
	`folded_number` text,
	`breed` text,
	`color` text,
	`sex` text,
	`birth_date` text,
	`microchip` text,
	`price` integer,
	`search_text` text NOT NULL,
	`published` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`attributes` text NOT NULL,
	`description` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pet_profiles_by_number` ON `pet_profiles` (`folded_number`) WHERE folded_number IS NOT NULL;--> statement-breakpoint
CREATE INDEX `pet_profiles_by_microchip` ON `pet_profiles` (`microchip`) WHERE microchip IS NOT NULL;--> statement-breakpoint
CREATE TABLE `store_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`currency` text
);
