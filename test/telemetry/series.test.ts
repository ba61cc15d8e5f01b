import { Counts } from '../../src/telemetry/series';

it('counts of more than a thousand combinations are added to the others, each by its amount', () => {
  const counts = new Counts(['school']);
  for (let at = 0; at < 1000; at += 1) counts.count(`school ${String(at)}`, '', '', 2);
  counts.count('school 7', '', '', 3);
  counts.count('one more', '', '', 4);
  counts.count('another', '', '', 5);
  const found = (school: string) => counts.samples().find(({ labels }) => labels['school'] === school)?.value;
  expect([found('school 7'), found('other'), found('one more')]).toEqual([5, 9, undefined]);
});
