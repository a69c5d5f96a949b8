ALTER TABLE `pet_photos` ADD `large` blob NOT NULL DEFAULT x'';--> statement-breakpoint
ALTER TABLE `pet_photos` ADD `large_bytes` integer NOT NULL DEFAULT 0;--> statement-breakpoint
ALTER TABLE `pet_photos` ADD `medium` blob NOT NULL DEFAULT x'';--> statement-breakpoint
ALTER TABLE `pet_photos` ADD `medium_bytes` integer NOT NULL DEFAULT 0;--> statement-breakpoint
ALTER TABLE `pet_photos` ADD `small` blob NOT NULL DEFAULT x'';--> statement-breakpoint
ALTER TABLE `pet_photos` ADD `small_bytes` integer NOT NULL DEFAULT 0;--> statement-breakpoint
UPDATE `pet_photos` SET `large` = `hash`, `large_bytes` = `bytes` FROM `photo_files` WHERE `photo_id` = `id` AND `size` = 'large';--> statement-breakpoint
UPDATE `pet_photos` SET `medium` = `hash`, `medium_bytes` = `bytes` FROM `photo_files` WHERE `photo_id` = `id` AND `size` = 'medium';--> statement-breakpoint
UPDATE `pet_photos` SET `small` = `hash`, `small_bytes` = `bytes` FROM `photo_files` WHERE `photo_id` = `id` AND `size` = 'small';--> statement-breakpoint
DROP TABLE `photo_files`;--> statement-breakpoint
CREATE INDEX `pet_photos_by_large` ON `pet_photos` (`large`);--> statement-breakpoint
CREATE INDEX `pet_photos_by_medium` ON `pet_photos` (`medium`);--> statement-breakpoint
CREATE INDEX `pet_photos_by_small` ON `pet_photos` (`small`);--> statement-breakpoint
CREATE VIEW `photo_files` AS
  SELECT id AS photo_id, 'large' AS size, large AS hash, large_bytes AS bytes FROM pet_photos
  UNION ALL SELECT id AS photo_id, 'medium' AS size, medium AS hash, medium_bytes AS bytes FROM pet_photos
  UNION ALL SELECT id AS photo_id, 'small' AS size, small AS hash, small_bytes AS bytes FROM pet_photos;