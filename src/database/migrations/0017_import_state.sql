ALTER TABLE `imports` ADD `added` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `completed_at` integer;--> statement-breakpoint
CREATE INDEX `unfinished_imports` ON `imports` (`id`) WHERE completed_at is null;--> statement-breakpoint
UPDATE `imports` SET `completed_at` = `created_at`;
