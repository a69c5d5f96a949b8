ALTER TABLE `orders` ADD `price` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `currency` text;