import { maskPhone, maskToken } from '../../src/support/masks';

describe('personal data in the log', () => {
  it.each([
    ['+905551112233', '+90...33'],
    ['5551112233', '...33'],
    ['112', '...12'],
  ])('shows the number %s as %s', (phone, shown) => {
    expect(maskPhone(phone)).toBe(shown);
  });

  it.each([
    ['fGk3b0x9Q2a:APA91b', 'fGk3b0...'],
    ['TOKEN-1', 'TOK...'],
    ['', '...'],
  ])('shows the token %p as %p', (token, shown) => {
    expect(maskToken(token)).toBe(shown);
  });
});
