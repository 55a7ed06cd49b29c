"""count_cases.py FOLDER: prints the number of test cases by result, and why cases were skipped.

FOLDER has one file per test program, written by GoogleTest's --gtest_output=xml. --clear empties it
instead: before a test run, so that programs which did not run are not counted.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def count(folder):
    ends = collections.Counter()
    reasons = collections.Counter()  # by the last line of the message
    for file in sorted(folder.glob('*.xml')):
        for case in ElementTree.parse(file).iter('testcase'):
            skipped = case.find('skipped')
            if skipped is not None:
                ends['skipped'] += 1
                reasons[skipped.get('message', '').strip().splitlines()[-1]] += 1
            elif case.find('failure') is not None:
                ends['failed'] += 1
            elif case.get('status') == 'run':
                ends['passed'] += 1
    lines = [f'{sum(ends.values())} cases: ' +
             ', '.join(f'{ends[end]} {end}' for end in ('passed', 'failed', 'skipped'))]
    lines += [f'  {times} skipped: {reason}' for reason, times in reasons.most_common()]
    return '\n'.join(lines)


def main(arguments):
    folder = pathlib.Path(arguments[-1])
    if '--clear' in arguments:
        for file in folder.glob('*.xml'):
            file.unlink()
    else:
        print(count(folder))


if __name__ == '__main__':
    main(sys.argv[1:])
