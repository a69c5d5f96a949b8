ALTER TABLE `imports` ADD `undoing_at` integer;--> statement-breakpoint
CREATE INDEX `undoing_imports` ON `imports` (`id`) WHERE undoing_at is not null;