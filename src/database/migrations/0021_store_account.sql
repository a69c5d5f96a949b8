-- The store's own account was found by its name. It is remembered by its id now, because it can be renamed.
UPDATE `installation` SET `account_id` = (SELECT min(`id`) FROM `accounts` WHERE `name` = 'Store') WHERE `account_id` IS NULL;
