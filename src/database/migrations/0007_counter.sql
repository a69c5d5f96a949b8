ALTER TABLE `order_days` ADD `sold` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `orders` ADD `returned_at` integer;