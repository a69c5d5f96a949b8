ALTER TABLE `readiness_probe` ADD `ballast` blob;--> statement-breakpoint
ALTER TABLE `keys` ADD `successor_id` integer;