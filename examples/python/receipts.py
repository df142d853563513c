# %% [markdown]
# # Verifying a receipt
# Somebody ran a module and signed what it gave. Whoever has the module and the input runs it again.

# %%
import numpy
import tally

receipt = tally.Receipt.parse(open("examples/receipts/digits/0.receipt").read())
trusted = tally.PublicKey.from_pem(open("examples/receipts/key.pub").read())
print(receipt, receipt.verify(trusted).word)

# %%
module = tally.quantize("examples/digits/digits.onnx", calibration="examples/receipts/digits/calibration.json",
                        input_grid="image=1/16,0,0,16")
assert module.id == receipt.module
image = numpy.load("examples/receipts/digits/0.npy")
print(receipt.recompute(module.plan(), {"image": image}).word)

# %% [markdown]
# Signing: the request has a nonce, so that nobody answers with the receipt of another.

# %%
key, nonce = tally.Key.generate(), bytes(range(32))
results, mine = module.plan().run_signed({"image": image}, key, nonce=nonce)
assert mine.verify(key.public, nonce) and mine.results == receipt.results
print(mine.text()[:60])

# %% [markdown]
# Another input does not give this claim.

# %%
print(mine.recompute(module.plan(), {"image": image * 0}))
