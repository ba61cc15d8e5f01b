// The wire contract, section 3, step 5: the words of .NET's XML reader, and the places that it names.

import { XmlReader } from '../../../src/asmx/xml/xml-reader';
import { XmlSyntaxError } from '../../../src/asmx/xml/xml-syntax-error';
import { IGNORE_ALL } from './xml-judge';

/** Why a document is not well-formed, or undefined. */
function errorIn(document: string): string | undefined {
  try {
    new XmlReader(IGNORE_ALL).read(document);
  } catch (error) {
    if (error instanceof XmlSyntaxError) return error.message;
    throw error;
  }
  return undefined;
}

describe('an XML declaration', () => {
  it.each([
    '<?xml version="1.0"?>',
    '<?xml  version  =  "1.0"  encoding  =  "utf-8"  standalone  =  "yes"  ?>',
    "<?xml\tversion\n=\r'1.0'\tencoding='ISO-8859-9'\r\nstandalone='no'\t?>",
    "<?xml version='1.0' standalone='yes'?>",
    '<?xml version="1.0" encoding="x.y_z-1"?>',
  ])('may be written as %j', (declaration) => {
    expect(errorIn(`${declaration}<a/>`)).toBeUndefined();
  });

  it.each([
    '<?xml version=x"1.0"?>',
    '<?xml version="1.0"x?>',
    '<?xml version="1.0"encoding="utf-8"?>',
    '<?xml version="1.0" encodingx="utf-8"?>',
    '<?xml version="1.0" encoding="8"?>',
    "<?xml version='1.0' encoding='8'?>",
    "<?xml version='1.0' encoding='u f'?>",
    '<?xml version="1.0" standalone="maybe"?>',
    '<?xml version="1.0" standalone="no" encoding="utf-8"?>',
  ])('may not be written as %j', (declaration) => {
    expect(errorIn(`${declaration}<a/>`)).toBe(
      'Syntax for an XML declaration is invalid. Line 1, position 1.',
    );
  });

  it('is allowed only at the start', () => {
    expect(errorIn('<a/><?xml version="1.0" encoding="utf-8"?>')).toMatch(/^Unexpected XML declaration\./);
  });
});

describe('XML that is not well-formed', () => {
  it.each([
    ['', 'Root element is missing.'],
    [' ', 'Root element is missing.'],
    ['x', 'Data at the root level is invalid. Line 1, position 1.'],
    ['\u0001', "'\u0001', hexadecimal value 0x01, is an invalid character. Line 1, position 1."],
    ['<?xml version="1.0"?>', 'Root element is missing.'],
    [
      ' <?xml version="1.0"?><a/>',
      'Unexpected XML declaration. The XML declaration must be the first node in the document, and no white space characters are allowed to appear before it. Line 1, position 4.',
    ],
    ['<?xml version="1.1"?><a/>', "Version number '1.1' is invalid. Line 1, position 16."],
    ["<?xml version='2'?><a/>", "Version number '2' is invalid. Line 1, position 16."],
    ['<?xml version="1.0" ?x><a/>', 'Syntax for an XML declaration is invalid. Line 1, position 1.'],
    ['<?xml?><a/>', 'Syntax for an XML declaration is invalid. Line 1, position 1.'],
    ['<?XML version="1.0"?><a/>', 'Syntax for an XML declaration is invalid. Line 1, position 1.'],
    ['<!DOCTYPE a><a/>', 'DTD is prohibited in this XML document.'],
    ['<!-- c --><!DOCTYPE a><a/>', 'DTD is prohibited in this XML document.'],
    ['<!x>', 'Data at the root level is invalid. Line 1, position 2.'],
    ['</a>', 'Data at the root level is invalid. Line 1, position 2.'],
    ['<a/><b/>', 'There are multiple root elements. Line 1, position 6.'],
    ['<a/>x', 'Data at the root level is invalid. Line 1, position 5.'],
    [
      '<a/>\n <?xml version="1.0"?>',
      'Unexpected XML declaration. The XML declaration must be the first node in the document, and no white space characters are allowed to appear before it. Line 2, position 4.',
    ],
    [
      '<a><?xml version="1.0"?></a>',
      'Unexpected XML declaration. The XML declaration must be the first node in the document, and no white space characters are allowed to appear before it. Line 1, position 6.',
    ],
    ['<a><?p', 'Unexpected end of file while parsing PI has occurred. Line 1, position 7.'],
    [
      '<a><?p!?></a>',
      "The '!' character, hexadecimal value 0x21, cannot be included in a name. Line 1, position 7.",
    ],
    ['<a><?1?></a>', "Name cannot begin with the '1' character, hexadecimal value 0x31. Line 1, position 6."],
    ['<a><?p \u0001?></a>', "'\u0001', hexadecimal value 0x01, is an invalid character. Line 1, position 8."],
    ['<a><?', 'Unexpected end of file while parsing Name has occurred. Line 1, position 6.'],
    [
      '<!-- -- --><a/>',
      "An XML comment cannot contain '--', and '-' cannot be the last character. Line 1, position 6.",
    ],
    [
      '<!-- --->',
      "An XML comment cannot contain '--', and '-' cannot be the last character. Line 1, position 6.",
    ],
    [
      '<a><!-- \u0001 --></a>',
      "'\u0001', hexadecimal value 0x01, is an invalid character. Line 1, position 9.",
    ],
    ['<!-- ', 'Unexpected end of file while parsing Comment has occurred. Line 1, position 6.'],
    ['<a><!-x--></a>', "'<!-' is an unexpected token. The expected token is '<!--'. Line 1, position 6."],
    ['<a><![CDATA[', 'Unexpected end of file while parsing CDATA has occurred. Line 1, position 13.'],
    [
      '<a><![CDATA[\ufffe]]></a>',
      "'\ufffe', hexadecimal value 0xFFFE, is an invalid character. Line 1, position 13.",
    ],
    [
      '<a><![CDATX[]]></a>',
      "'<![' is an unexpected token. The expected token is '<!--'. Line 1, position 6.",
    ],
    ['<a>]]></a>', "']]>' is not allowed in character data. Line 1, position 4."],
    ['<a>x\n]]></a>', "']]>' is not allowed in character data. Line 2, position 1."],
    ['<a>\u0000</a>', "'.', hexadecimal value 0x00, is an invalid character. Line 1, position 4."],
    ['<a>\ufffe</a>', "'\ufffe', hexadecimal value 0xFFFE, is an invalid character. Line 1, position 4."],
    ['<a>&', 'An error occurred while parsing EntityName. Line 1, position 5.'],
    ['<a>&amp</a>', 'An error occurred while parsing EntityName. Line 1, position 5.'],
    ['<a>&;</a>', 'An error occurred while parsing EntityName. Line 1, position 5.'],
    ['<a>&x;</a>', "Reference to undeclared entity 'x'. Line 1, position 5."],
    ['<a>&toString;</a>', "Reference to undeclared entity 'toString'. Line 1, position 5."],
    ['<a>&#0;</a>', "'.', hexadecimal value 0x00, is an invalid character. Line 1, position 6."],
    ['<a>&#xD800;</a>', "'\ufffd', hexadecimal value 0xD800, is an invalid character. Line 1, position 6."],
    ['<a>&#x110000;</a>', "'.', hexadecimal value 0x110000, is an invalid character. Line 1, position 6."],
    ['<a>&#xFFFE;</a>', "'\ufffe', hexadecimal value 0xFFFE, is an invalid character. Line 1, position 6."],
    ['<a>&#xDFFF;</a>', "'\ufffd', hexadecimal value 0xDFFF, is an invalid character. Line 1, position 6."],
    ['<a>&#xFFFF;</a>', "'\uffff', hexadecimal value 0xFFFF, is an invalid character. Line 1, position 6."],
    ['<a>&#;</a>', 'An error occurred while parsing EntityName. Line 1, position 5.'],
    ['<a>&#xg;</a>', 'An error occurred while parsing EntityName. Line 1, position 5.'],
    ['<a>&am<b/>p;</a>', 'An error occurred while parsing EntityName. Line 1, position 5.'],
    ['<1/>', "Name cannot begin with the '1' character, hexadecimal value 0x31. Line 1, position 2."],
    ['<', 'Unexpected end of file while parsing Name has occurred. Line 1, position 2.'],
    ['<a', 'Unexpected end of file while parsing Name has occurred. Line 1, position 3.'],
    ['<a/ >', "' ' is an unexpected token. The expected token is '>'. Line 1, position 4."],
    ['<a/\n>', "'\n' is an unexpected token. The expected token is '>'. Line 1, position 4."],
    ['<a:', 'Unexpected end of file while parsing Name has occurred. Line 1, position 4.'],
    ['<a:1/>', "Name cannot begin with the '1' character, hexadecimal value 0x31. Line 1, position 4."],
    [
      '<a\u0000/>',
      "The '.' character, hexadecimal value 0x00, cannot be included in a name. Line 1, position 3.",
    ],
    ['<a b/>', "'/' is an unexpected token. The expected token is '='. Line 1, position 5."],
    ['<a b=1/>', "'1' is an unexpected token. The expected token is '\"' or ''''. Line 1, position 6."],
    ['<a b="', 'Unexpected end of file while parsing AttributeValue has occurred. Line 1, position 7.'],
    ['<a b="1"c="2"/>', "'c' is an unexpected token. Expecting white space. Line 1, position 9."],
    ['<a b="1" b="2"/>', "'b' is a duplicate attribute name. Line 1, position 10."],
    ['<a b="<"/>', "'<', hexadecimal value 0x3C, is an invalid attribute character. Line 1, position 7."],
    ['<a b="xy<"/>', "'<', hexadecimal value 0x3C, is an invalid attribute character. Line 1, position 9."],
    ['<a b="\u0001"/>', "'\u0001', hexadecimal value 0x01, is an invalid character. Line 1, position 7."],
    ['<a b="&x;"/>', "Reference to undeclared entity 'x'. Line 1, position 8."],
    ['<a b="&"/>', 'An error occurred while parsing EntityName. Line 1, position 8.'],
    ['<a 1="2"/>', "Name cannot begin with the '1' character, hexadecimal value 0x31. Line 1, position 4."],
    ['<a b:="1"/>', "Name cannot begin with the '=' character, hexadecimal value 0x3D. Line 1, position 6."],
    ['<a =""/>', "Name cannot begin with the '=' character, hexadecimal value 0x3D. Line 1, position 4."],
    ['<p:a/>', "'p' is an undeclared prefix. Line 1, position 2."],
    ['<a p:b="1"/>', "'p' is an undeclared prefix. Line 1, position 4."],
    ['<xmlns:a/>', "'xmlns' is an undeclared prefix. Line 1, position 2."],
    ['<a xmlns:p=""/>', 'Invalid namespace declaration. Line 1, position 4.'],
    [
      '<a xmlns:xml="u"/>',
      'Prefix "xml" is reserved for use by XML and cannot be bound to this namespace name. Line 1, position 4.',
    ],
    [
      '<a xmlns:xmlns="u"/>',
      'Prefix "xmlns" is reserved for use by XML and cannot be bound to this namespace name. Line 1, position 4.',
    ],
    [
      '<a xmlns="http://www.w3.org/2000/xmlns/"/>',
      'Prefix "" is reserved for use by XML and cannot be bound to this namespace name. Line 1, position 4.',
    ],
    [
      '<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>',
      'Prefix "p" is reserved for use by XML and cannot be bound to this namespace name. Line 1, position 4.',
    ],
    [
      '<a xmlns="http://www.w3.org/XML/1998/namespace"/>',
      'Prefix "" is reserved for use by XML and cannot be bound to this namespace name. Line 1, position 4.',
    ],
    [
      '<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>',
      "'q:b' is a duplicate attribute name. Line 1, position 36.",
    ],
    ['<a xmlns:p="u" xmlns:p="v"/>', "'xmlns:p' is a duplicate attribute name. Line 1, position 16."],
    [
      '<a>',
      'Unexpected end of file has occurred. The following elements are not closed: a. Line 1, position 4.',
    ],
    [
      '<a><b>',
      'Unexpected end of file has occurred. The following elements are not closed: b, a. Line 1, position 7.',
    ],
    [
      '<a>x',
      'Unexpected end of file has occurred. The following elements are not closed: a. Line 1, position 5.',
    ],
    [
      '<a></b>',
      "The 'a' start tag on line 1 position 2 does not match the end tag of 'b'. Line 1, position 6.",
    ],
    [
      '<a>\r\n<b>\r</c></a>',
      "The 'b' start tag on line 2 position 2 does not match the end tag of 'c'. Line 3, position 3.",
    ],
    [
      '<a><b></a></b>',
      "The 'b' start tag on line 1 position 5 does not match the end tag of 'a'. Line 1, position 9.",
    ],
    [
      '<a b="1" \u0001="2"/>',
      "Name cannot begin with the '\u0001' character, hexadecimal value 0x01. Line 1, position 10.",
    ],
  ])('is rejected with a precise message: %j', (document, message) => {
    expect(errorIn(document)).toBe(message);
  });
});

describe('an end tag', () => {
  it.each(['', ' ', '\t', '\n', '\r', '\r\n', ' \r\n\t '])(
    'may have white space after its name: %j',
    (space) => {
      expect(errorIn(`<p:a xmlns:p="urn:p"><b>x</b${space}></p:a${space}>`)).toBeUndefined();
    },
  );

  it.each(['\u0085', '\u00a0', '\v', '\f', '\0', '\u2028'])(
    'may have nothing else after its name: %j',
    (other) => {
      expect(errorIn(`<a></a${other}>`)).toBeDefined();
    },
  );

  it.each([
    [
      '<a></a',
      'Unexpected end of file has occurred. The following elements are not closed: a. Line 1, position 7.',
    ],
    [
      '<a><b></b\n',
      'Unexpected end of file has occurred. The following elements are not closed: b, a. Line 2, position 1.',
    ],
    ['<abc></ab', 'Unexpected end of file while parsing Name has occurred. Line 1, position 10.'],
    ['<abc></', 'Unexpected end of file while parsing Name has occurred. Line 1, position 8.'],
    ['<abc></abcd', 'Unexpected end of file while parsing Name has occurred. Line 1, position 12.'],
    ['<a></a /', "'/' is an unexpected token. The expected token is '>'. Line 1, position 8."],
    ['<a></>', "Name cannot begin with the '>' character, hexadecimal value 0x3E. Line 1, position 6."],
  ])('is reported if cut off or wrong: %j', (document, message) => {
    expect(errorIn(document)).toBe(message);
  });
});

it('reports a reference at its position in the text', () => {
  expect(errorIn('<a>12&x;</a>')).toBe("Reference to undeclared entity 'x'. Line 1, position 7.");
  expect(errorIn('<a>12&amp;3& </a>')).toBe(
    'An error occurred while parsing EntityName. Line 1, position 13.',
  );
  expect(errorIn('<a b="12&#1;"/>')).toMatch(/ is an invalid character\. Line 1, position 11\.$/);
});

it('counts columns in UTF-16 units, and lines by CRLF, CR or LF', () => {
  expect(errorIn('<a>\ud83d\ude00<</a>')).toMatch(/ Line 1, position 7\.$/);
  expect(errorIn('<a>\r\n\r\n\n\r<</a>')).toMatch(/ Line 5, position 2\.$/);
  expect(errorIn('<a>\n\n<</a>')).toMatch(/ Line 3, position 2\.$/);
});
