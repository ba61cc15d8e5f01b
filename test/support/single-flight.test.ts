import { singleFlight } from '../../src/support/single-flight';

it('work that is shared by concurrent callers begins again after it has failed', async () => {
  const work = jest.fn<Promise<string>, []>().mockRejectedValueOnce(new Error('x')).mockResolvedValue('done');
  const shared = singleFlight(work);
  await expect(Promise.all([shared(), shared()])).rejects.toThrow('x');
  expect(await Promise.all([shared(), shared()])).toEqual(['done', 'done']);
  expect(work).toHaveBeenCalledTimes(2);
});
