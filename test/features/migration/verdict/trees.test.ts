import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { answer } from './answers';

const PREFIXES =
  'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:e="http://www.w3.org/2003/05/soap-envelope" ' +
  'xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:x="u:one" xmlns:y="u:one" xmlns:z="u:two"';

/** Returns true if two contents say the same, whatever their prefixes and their order. */
function isSame(one: string, other: string): boolean {
  const [old, ours] = [one, other].map((content) => answer(`<r ${PREFIXES}>${content}</r>`));
  return old !== undefined && ours !== undefined && compareAnswers(old, ours).level !== 'different';
}

describe('documents', () => {
  it.each([
    ['attributes in another order', '<a b="1" c="2" d="3"/>', '<a d="3" c="2" b="1"/>'],
    ['attributes of namespaces', '<a x:b="1" z:b="2" b="3"/>', '<a b="3" z:b="2" y:b="1"/>'],
    ['a type by another prefix', '<a i:type="x:T"/>', '<a i:type=" y:T "/>'],
    ['a type without a prefix', '<a xmlns="u:one" i:type="T"/>', '<y:a i:type="x:T"/>'],
    ['null in other words', '<a i:nil="true"/>', '<a i:nil=" 1 "/>'],
    ['what is not null', '<a i:nil="false">b</a>', '<a>b</a>'],
    ['places of schemas', '<a i:schemaLocation="b" i:noNamespaceSchemaLocation="c"/>', '<a/>'],
    ['the code of a fault', '<faultcode>x:T</faultcode>', '<faultcode> y:T </faultcode>'],
    ['the code of SOAP 1.2', '<e:Value>x:T</e:Value>', '<e:Value>y:T</e:Value>'],
    ['a name in a schema', '<s:element type="x:T"/>', '<s:element type="y:T"/>'],
    ['a name of ASP.NET’s', '<SupportedEnvelope qname="x:T"/>', '<SupportedEnvelope qname="y:T"/>'],
  ])('say the same with %s', (_what, one, other) => {
    expect([isSame(one, other), isSame(other, one)]).toEqual([true, true]);
  });

  it.each([
    ['another value', '<a b="1" c="2"/>', '<a b="2" c="1"/>'],
    ['a type of another namespace', '<a i:type="x:T"/>', '<a i:type="z:T"/>'],
    ['another type', '<a i:type="x:T"/>', '<a i:type="x:U"/>'],
    ['a type of an unknown prefix', '<a i:type="p:T"/>', '<a i:type="q:T"/>'],
    ['two words for a type, the first another', '<a i:type="T V"/>', '<a i:type="U V"/>'],
    ['two words for a type, the last another', '<a i:type="T V"/>', '<a i:type="T U"/>'],
    ['null', '<a i:nil="true"/>', '<a/>'],
    ['a value that looks like null', '<a nil="1"/>', '<a nil="true"/>'],
    ['another attribute beside null', '<a i:other="false"/>', '<a/>'],
    ['a text that looks like a name', '<a>x:T</a>', '<a>y:T</a>'],
    ['a value that looks like a name', '<a qname="x:T" type="x:T"/>', '<a qname="y:T" type="y:T"/>'],
    ['a value of ASP.NET’s', '<SupportedEnvelope b="x:T"/>', '<SupportedEnvelope b="y:T"/>'],
    ['a value in a schema', '<s:element default="x:T"/>', '<s:element default="y:T"/>'],
    ['an attribute of a namespace in a schema', '<s:element z:type="x:T"/>', '<s:element z:type="y:T"/>'],
    ['a value of another namespace', '<Value>x:T</Value>', '<Value>y:T</Value>'],
    ['another text of SOAP 1.2', '<e:Text>x:T</e:Text>', '<e:Text>y:T</e:Text>'],
    ['a code of another namespace', '<z:faultcode>x:T</z:faultcode>', '<z:faultcode>y:T</z:faultcode>'],
  ])('differ in %s', (_what, one, other) => {
    expect([isSame(one, other), isSame(other, one)]).toEqual([false, false]);
  });
});
