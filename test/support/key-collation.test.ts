import { keyCollation } from '../../src/support/key-collation';

describe('ids compared by a SQL Server collation', () => {
  it.each([
    ['SQL_Latin1_General_CP1_CI_AS', 'DEV-İ1', 'dev-İ1', true],
    ['SQL_Latin1_General_CP1_CI_AS', 'DEV-I', 'dev-i', true],
    ['Latin1_General_100_CI_AS_SC_UTF8', 'É', 'é', true],
    ['Latin1_General_CI_AS', 'é', 'e', false],
    ['Turkish_CI_AS', 'IĞDIR', 'ığdır', true],
    ['Turkish_CI_AS', 'İZMİR', 'izmir', true],
    ['Turkish_100_CI_AS_KS_WS', 'I', 'i', false],
    ['SQL_Latin1_General_CP1254_CI_AS', 'I', 'i', false],
    ['Azeri_Latin_100_CI_AS', 'I', 'ı', true],
    ['Latin1_General_CI_AS', 'I', 'ı', false],
    ['Latin1_General_CS_AS', 'A', 'a', false],
    ['Latin1_General_BIN', 'A', 'a', false],
    ['Latin1_General_BIN2', 'A', 'a', false],
    ['', 'A', 'a', false],
  ])('by %j: %j and %j are one: %p', (name, one, other, areOne) => {
    const fold = keyCollation(name)?.fold;
    expect(fold?.(one) === fold?.(other)).toBe(areOne);
    expect(fold?.(fold(one))).toBe(fold?.(one));
  });

  it.each([
    ['Turkish_CI_AI'],
    ['turkish'],
    ['CI_AS'],
    ['Turkish_CI_AS_XX'],
    ['utf8mb4_turkish_ci'],
    ['Türkçe_CI_AS'],
  ])('cannot be compared by %j', (name) => {
    expect(keyCollation(name)).toBeUndefined();
  });
});
