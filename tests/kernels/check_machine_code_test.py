#!/usr/bin/env python3
"""Tests of check_machine_code.py on machine code with and without violations."""
import unittest

from check_machine_code import complaints, kernels, stored

PREFIX = "_ZN9shardlens7kernels4cuda7runBodyINS1_"
PACKS = PREFIX + "11ReducePacksINS0_9PlainFoldIfNS0_3SumEEEEEEvT_"
TEXT = f"""
arch = sm_90
		Function : {PACKS}
        /*0000*/                   LDC R1, c[0x0][0x28] ;        /* 0x00 */
                                                                 /* 0x01 */
        /*0010*/              @!P0 STG.E.EF.128 desc[UR4][R2.64], R4 ;  /* 0x02 */
		Function : other
        /*0000*/              @P1  STL.64 [R1], R4 ;             /* 0x02 */
"""


class MachineCode(unittest.TestCase):
    def test_kernels_are_read_with_their_architecture_and_opcodes(self):
        self.assertEqual(list(kernels(TEXT)), [(PACKS, "sm_90", ["LDC", "STG.E.EF.128"]),
                                               ("other", "sm_90", ["STL.64"])])

    def test_the_width_of_a_store_is_in_its_opcode(self):
        opcodes = ("STG.E", "STG.E.U16", "STG.E.EF.128", "STG.E.64.STRONG.SYS", "LDG.E.128")
        self.assertEqual([stored(opcode) for opcode in opcodes], [4, 2, 16, 8, 0])

    def test_a_pack_that_is_stored_in_parts_is_found(self):
        self.assertEqual(list(complaints(PACKS, ["STG.E.128"])), [])
        self.assertEqual(list(complaints(PACKS, ["STG.E.128", "STG.E.U16"])),
                         ["got stores of [2] bytes, expected 16"])
        self.assertEqual(len(list(complaints(PACKS, ["STG.E"] * 4))), 1)

    def test_local_memory_is_found(self):
        self.assertEqual(list(complaints(PACKS, ["STL", "LDL.64"])),
                         ["got 2 accesses to local memory, expected none"])

    def test_other_kernels_store_what_they_want(self):
        self.assertEqual(list(complaints("other", ["STL", "STG.E.U8"])), [])

    def test_a_gradient_has_one_store_besides_packs(self):
        name = PREFIX + "12GradLossRowsINS1_9LossLanesIfLNS1_6SharesE0ELb1EEEEEEvT_"
        self.assertEqual(list(complaints(name, ["STG.E.EF.128", "STG.E"])), [])
        self.assertEqual(len(list(complaints(name, ["STG.E.EF.128", "STG.E", "STG.E"]))), 1)


if __name__ == "__main__":
    unittest.main()
