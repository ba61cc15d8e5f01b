import { countryOf } from '../../../src/admin/reports/usage-report';

it.each([
  ['', ''],
  ['TR', 'TR'],
  ['+90', 'TR'],
  ['+870', '+870'], // satellites
  ['+44', '+44'], // of several countries
  ['+15', ''],
  ['+35', ''], // of Portugal, Ireland and others
])('what was kept of a number, %j, stands for %j', (kept, country) => {
  expect(countryOf(kept)).toBe(country);
});
