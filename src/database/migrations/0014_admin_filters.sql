CREATE TABLE `usage_days` (
	`day` integer PRIMARY KEY NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	`rejected` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_by_actor` ON `audit` (`actor`);--> statement-breakpoint
CREATE INDEX `audit_by_action` ON `audit` (`action`);--> statement-breakpoint
CREATE INDEX `audit_by_account` ON `audit` (`account_id`);--> statement-breakpoint
CREATE INDEX `audit_by_key` ON `audit` (`key_id`);--> statement-breakpoint
CREATE INDEX `unrevoked_keys_by_account` ON `keys` (`account_id`,`expires_at`) WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX `unrevoked_keys_by_expiry` ON `keys` (`expires_at`) WHERE revoked_at is null and expires_at is not null;--> statement-breakpoint
CREATE INDEX `keys_by_ban` ON `keys` (`banned_until`) WHERE banned_until is not null;--> statement-breakpoint
-- The totals of the whole store stand under account -1, because 0 is an account.
UPDATE `order_totals` SET `account_id` = -1 WHERE `account_id` = 0;--> statement-breakpoint
INSERT INTO `usage_days` (`day`, `requests`) SELECT `day`, sum(`requests`) FROM `usage` WHERE `account_id` > 0 GROUP BY `day`;--> statement-breakpoint
CREATE TRIGGER `usage_added` AFTER INSERT ON `usage` WHEN NEW.`account_id` > 0 BEGIN
	INSERT INTO `usage_days` (`day`, `requests`) VALUES (NEW.`day`, NEW.`requests`)
	ON CONFLICT (`day`) DO UPDATE SET `requests` = `requests` + excluded.`requests`;
END;--> statement-breakpoint
CREATE TRIGGER `usage_changed` AFTER UPDATE OF `requests` ON `usage` WHEN NEW.`account_id` > 0 BEGIN
	UPDATE `usage_days` SET `requests` = `requests` + NEW.`requests` - OLD.`requests` WHERE `day` = NEW.`day`;
END;
