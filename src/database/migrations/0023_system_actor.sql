UPDATE `audit` SET `actor` = 'system' WHERE `actor` = 'service';
