import { isSamePhone } from '../../../src/store';

describe('two numbers', () => {
  it.each([
    ['spelt alike', '+905551112233', '+905551112233', true],
    ['from two countries', '+905551112233', '+915551112233', false],
    ['with the country in only one', '+905551112233', '5551112233', true],
    ['with a leading zero in one', '05551112233', '+905551112233', true],
    ['with the country written differently', '00905551112233', '+905551112233', true],
    ['that differ in the tenth digit from the end', '4551112233', '+905551112233', true],
    ['that differ in the ninth digit from the end, without a country', '451112233', '551112233', false],
    ['with different last digits', '5551112234', '+905551112233', false],
    ['with only a part of the number in one', '112233', '+905551112233', true],
    ['with one short after its zeros', '00112233', '+905551112233', true],
    ['with one short after a plus and a zero', '+0112233', '905551112233', true],
    ['that only begin alike', '555111', '5551112233', false],
  ])('%s belong to the same phone: %s and %s %j', (_what, one, other, isSame) => {
    expect([isSamePhone(one, other), isSamePhone(other, one)]).toEqual([isSame, isSame]);
  });
});
