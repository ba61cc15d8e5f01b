import { countedCountry, findArea } from '../../../src/delivery/policy/number-area';

/** Expected country, digits of the range, and country under which its codes are counted. */
type Area = readonly [country: string, range: string, counted: string];

describe('the area of a number', () => {
  it.each<readonly [string, string, Area]>([
    ['a mobile number', '+905551112233', ['TR', '555111', 'TR']],
    ['a short number', '+96394412345', ['SY', '9441', 'SY']],
    ['a country that shares its calling code', '+12125551234', ['US', '212555', 'US']],
    ['a range newer than this program', '+12005551234', ['1', '200555', '+1']],
    ['a national number of an unknown country', '05551112233', ['', '555111', '']],
    ['a satellite', '+881612345678', ['881', '61234', '+881']],
    ['an international network', '+88213300000', ['882', '1330', '+882']],
  ])('of %s, %s', (_what, phone, [country, range, counted]) => {
    const area = findArea(phone);
    expect([area.country, area.range, countedCountry(area)]).toEqual([country, range, counted]);
  });

  it.each([
    ['a satellite', '+881612345678', true],
    ['a premium rate at home', '+909001234567', true],
    ['a family', '+905551112233', false],
    ['a family without a known country', '05551112233', false],
    ['a family in Germany', '+4915112345678', false],
    ['a family in the USA', '+12125551234', false],
    ['a family in Syria', '+96394412345', false],
  ])('of %s, %s, is of a premium rate: %p', (_what, phone, isPremium) => {
    expect(findArea(phone).isPremium).toBe(isPremium);
  });
});
