import { isSamePhone } from '../../../src/store';

describe('two numbers', () => {
  it.each([
    ['spelt alike', '+905551112233', '+905551112233', true],
    ['of two countries', '+905551112233', '+915551112233', false],
    ['of which one has no country', '+905551112233', '5551112233', true],
    ['of which one has a zero before it', '05551112233', '+905551112233', true],
    ['of which one has the country in another way', '00905551112233', '+905551112233', true],
    ['that differ in the tenth digit from the end', '4551112233', '+905551112233', true],
    ['that differ in the ninth digit from the end, without a country', '451112233', '551112233', false],
    ['that differ at their end', '5551112234', '+905551112233', false],
    ['of which one is a part of a number', '112233', '+905551112233', true],
    ['of which one is short, behind its zeros', '00112233', '+905551112233', true],
    ['of which one is short, behind a plus and a zero', '+0112233', '905551112233', true],
    ['that share their beginning alone', '555111', '5551112233', false],
  ])('%s may be those of one telephone: %s and %s %j', (_what, one, other, isSame) => {
    expect([isSamePhone(one, other), isSamePhone(other, one)]).toEqual([isSame, isSame]);
  });
});
