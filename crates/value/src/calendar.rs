//! Days of the proleptic Gregorian calendar, counted from the first of January 1970.

/// Days in 400 years, after which the calendar repeats.
const ERA_DAYS: i64 = 146_097;
/// Days from the first of March of year 0 to the first of January 1970.
const EPOCH_DAYS: i64 = 719_468;

/// Whether a year has a 29th of February.
pub const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The length of a month (1 to 12).
pub const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Whether there is such a day.
pub const fn is_date(year: i64, month: i64, day: i64) -> bool {
    1 <= month && month <= 12 && 1 <= day && day <= days_in_month(year, month)
}

/// The number of a day.
pub const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years that start in March end with the leap day.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * ERA_DAYS + day_of_era - EPOCH_DAYS
}

/// Year, month and day of a day with this number.
pub const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + EPOCH_DAYS;
    let era = shifted.div_euclid(ERA_DAYS);
    let day_of_era = shifted.rem_euclid(ERA_DAYS);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_have_their_numbers() {
        for (date, number) in [
            ((1970, 1, 1), 0),
            ((2000, 3, 1), 11_017),
            ((1, 1, 1), -719_162),
            ((9999, 12, 31), 2_932_896),
        ] {
            assert_eq!(days_from_civil(date.0, date.1, date.2), number);
            assert_eq!(civil_from_days(number), date);
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let (mut year, mut month, mut day) = (1896, 1, 1);
        let mut number = days_from_civil(year, month, day);
        while year < 2105 {
            assert_eq!(civil_from_days(number), (year, month, day));
            number += 1;
            if is_date(year, month, day + 1) {
                day += 1;
            } else if month < 12 {
                (month, day) = (month + 1, 1);
            } else {
                (year, month, day) = (year + 1, 1, 1);
            }
            assert_eq!(days_from_civil(year, month, day), number);
        }
    }
}
