// Attributes of the lowerings of the comparison family that are no operators: none.
#pragma once
