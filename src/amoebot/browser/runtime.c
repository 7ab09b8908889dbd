// What compiled functions expect of Numba's runtime and of the C library: memory, and little else.
//
// Memory is a stack. What is freed while it is on top is given back at once, the rest when the
// caller sets the top back to where it was.

typedef unsigned long long word;

typedef struct {
    word references;
    void *destructor;
    void *information;
    void *data;
    word size;
} Block;

extern unsigned char __heap_base;

static unsigned long top;

enum { ALIGNMENT = 32, PAGE = 65536 };

unsigned long mark(void) {
    if (top == 0)
        top = ((unsigned long)&__heap_base + ALIGNMENT - 1) & ~(unsigned long)(ALIGNMENT - 1);
    return top;
}

void release(unsigned long place) { top = place; }

void *allocate(unsigned long size) {
    unsigned long begin = mark();
    unsigned long end = begin + ((size + ALIGNMENT - 1) & ~(unsigned long)(ALIGNMENT - 1));
    unsigned long pages = __builtin_wasm_memory_size(0);
    if (end < begin)
        __builtin_trap();
    if (end > pages * PAGE) {
        unsigned long more = (end - pages * PAGE + PAGE - 1) / PAGE;
        // Ask for more than is needed, so that a list that grows does not ask each time.
        if (__builtin_wasm_memory_grow(0, more + pages / 8) == (unsigned long)-1 &&
            __builtin_wasm_memory_grow(0, more) == (unsigned long)-1)
            __builtin_trap();
    }
    top = end;
    return (void *)begin;
}

static void free_if_last(void *block, word size) {
    unsigned long begin = (unsigned long)block;
    if (begin + ((size + ALIGNMENT - 1) & ~(unsigned long)(ALIGNMENT - 1)) == top)
        top = begin;
}

void *NRT_Allocate(word size) { return allocate(size); }

void NRT_Free(void *block) { (void)block; }

Block *NRT_MemInfo_new_varsize(word size) {
    Block *block = allocate(sizeof(Block));
    block->references = 1;
    block->data = allocate(size);
    block->size = size;
    return block;
}

Block *NRT_MemInfo_new_varsize_dtor(word size, void *destructor) {
    (void)destructor;
    return NRT_MemInfo_new_varsize(size);
}

Block *NRT_MemInfo_alloc_safe_aligned(word size, unsigned alignment) {
    (void)alignment;
    return NRT_MemInfo_new_varsize(size);
}

Block *NRT_MemInfo_alloc_aligned(word size, unsigned alignment) {
    (void)alignment;
    return NRT_MemInfo_new_varsize(size);
}

void *NRT_MemInfo_varsize_alloc(Block *block, word size) {
    block->data = allocate(size);
    block->size = size;
    return block->data;
}

void *NRT_MemInfo_varsize_realloc(Block *block, word size) {
    void *before = block->data;
    word kept = block->size < size ? block->size : size;
    free_if_last(before, block->size);
    void *after = allocate(size);
    if (after != before)
        __builtin_memcpy(after, before, kept);
    block->data = after;
    block->size = size;
    return after;
}

void NRT_MemInfo_varsize_free(Block *block, void *data) {
    if (block->data == data)
        block->data = 0;
}

// Destructors are not called: what they would give back, the caller gives back with all the rest.
void NRT_MemInfo_call_dtor(Block *block) {
    free_if_last(block->data, block->size);
    free_if_last(block, sizeof(Block));
}

void NRT_incref(Block *block) {
    if (block)
        block->references++;
}

void NRT_decref(Block *block) {
    if (block && --block->references == 0)
        NRT_MemInfo_call_dtor(block);
}

// Give an array another form without moving it: all arrays here are without gaps.
int numba_attempt_nocopy_reshape(word dimensions, word *lengths, word *strides, word new_dimensions,
                                 word *new_lengths, word *new_strides, word size, int columns_first) {
    word step = size;
    (void)columns_first;
    for (word i = dimensions; i-- > 0; step *= lengths[i])
        if (lengths[i] > 1 && strides[i] != step)
            return 0;
    step = size;
    for (word i = new_dimensions; i-- > 0; step *= new_lengths[i])
        new_strides[i] = step;
    return 1;
}

double sqrt(double number) { return __builtin_elementwise_sqrt(number); }

double ceil(double number) { return __builtin_elementwise_ceil(number); }

double floor(double number) { return __builtin_elementwise_floor(number); }

// The product of two numbers of 128 bits, by which the compiler finds out about overflows. It is not
// optimised: the compiler would recognise it, and call it.
__attribute__((optnone)) __int128 __multi3(__int128 one, __int128 other) {
    word a = (word)one, b = (word)other, low = 0xFFFFFFFFu;
    word lower = (a & low) * (b & low), left = (a >> 32) * (b & low), right = (a & low) * (b >> 32);
    word middle = (lower >> 32) + (left & low) + right;
    word upper = (a >> 32) * (b >> 32) + (left >> 32) + (middle >> 32);
    upper += a * (word)(other >> 64) + (word)(one >> 64) * b;
    return (__int128)(((unsigned __int128)upper << 64) | (middle << 32) | (lower & low));
}
