// Attributes of the lowerings of the rescale family that are no operators: none so far.
#pragma once
